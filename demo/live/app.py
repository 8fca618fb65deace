"""A shop whose catalogue is RDF: each change goes to a patch log on a server.

Run it with uvicorn, and the address of the log in the environment variable ``LOG``.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from fastapi import FastAPI, Path
from pydantic import BaseModel, Field
from rdflib import RDF, Literal, Namespace
from starlette.concurrency import run_in_threadpool

import jelly_rdflib as jr

SHOP = Namespace("https://shop.example/")


class Product(BaseModel):
    """What the shop knows about a product."""

    name: str = Field(max_length=200)
    price: float = Field(ge=0)


class Catalogue:
    """The data, which one thread changes: a recording belongs to one thread."""

    def __init__(self, address: str) -> None:
        self._log = jr.PatchLog(address)
        self._data = self._log.checkout()
        self._writer = ThreadPoolExecutor(1)

    def put(self, number: int, product: Product) -> int:
        """Set a product; return the version of the data that includes it."""
        return self._writer.submit(self._put, number, product).result()

    def _put(self, number: int, product: Product) -> int:
        subject = SHOP[f"product/{number}"]
        # The block is a transaction, and a patch in the log. After an error neither remains.
        with jr.record(self._data, self._log):
            self._data.set((subject, SHOP.name, Literal(product.name)))
            self._data.set((subject, SHOP.price, Literal(product.price)))
            self._data.add((subject, RDF.type, SHOP.Product))
        return self._log.version

    def count(self) -> int:
        """Return how many statements there are."""
        return len(self._data)


app = FastAPI(title="Shop")
catalogue = Catalogue(os.environ["LOG"])


@app.put("/products/{number}")
async def put_product(number: Annotated[int, Path(ge=0)], product: Product) -> dict[str, int]:
    """Set a product; respond once the change is in the log."""
    return {"version": await run_in_threadpool(catalogue.put, number, product)}


@app.get("/statements")
async def count_statements() -> dict[str, int]:
    """Return how many statements the catalogue has."""
    return {"statements": await run_in_threadpool(catalogue.count)}
