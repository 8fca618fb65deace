"""``jellyp replica``: a dataset that follows a log or a stream."""

from __future__ import annotations

import json
from typing import Any

import click

from jelly_rdflib.cli.live_options import LIVE_URL, following_options, open_live
from jelly_rdflib.cli.log import compression_option, version
from jelly_rdflib.cli.options import chosen_limits, follow_option, is_log
from jelly_rdflib.cli.printable import count, name_errors, say, tell
from jelly_rdflib.cli.progress import show_progress


@click.command("replica")
@click.argument("url", metavar="LOG-OR-URL", type=LIVE_URL)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@follow_option
@click.option(
    "--upto", metavar="VERSION", type=version, help="The version to stop at. [default: the newest]"
)
@compression_option
@following_options
def command(
    url: str,
    folder: str,
    follow: bool,
    upto: int | str | None,
    strict: bool,
    **following: Any,
) -> None:
    """Bring a copy of a log's data up to date, as Jelly-RDF.

    The replica stores the version of its data. So each patch is applied once, however often the
    command is interrupted and started again. With -f each new patch is applied as it arrives; then
    the patches may come from a broker, too: for its URL see jellyp publish --help.

    \b
    Examples:
      jellyp replica history copy
      jellyp replica history copy --upto 7
      jellyp replica -f https://example.org/history copy
      jellyp replica -f --timeout 5 mqtt://localhost/changes copy --setting session=copy
      jellyp convert copy/*.jelly -o data.nq
    """
    from jelly_rdflib.log import PatchLog, Replica

    limits = chosen_limits()
    if follow and upto is not None:
        raise click.UsageError("--upto and -f exclude each other")
    # These options are None, False or empty if they were not given.
    of_following = ("timeout", "settings", "secret_settings", "as_json")
    if not follow and any(following[name] for name in of_following):
        raise click.UsageError("--timeout, --setting, --settings and --json are for -f")
    if not follow and not is_log(url):
        raise click.UsageError(f"{url} is not a patch log: -f follows a broker or server")
    replica = Replica(folder, compression=following.pop("compression"), limits=limits)
    if follow:
        _follow(replica, url, strict=strict, **following)
        return
    before = replica.version
    with name_errors(url):
        log = PatchLog(url, limits=limits)
        total = len(replica._missing(log, upto))
        with show_progress("replaying", total, is_bytes=False) as advance:
            after = replica.update(log, upto=upto, strict=strict, progress=lambda _: advance(1))
    tell(f"version {after}" if before == after else f"version {before} to {after}")


def _follow(
    replica: Any,
    url: str,
    *,
    strict: bool,
    store_every: float,
    timeout: float | None,
    settings: dict[str, str],
    secret_settings: dict[str, str],
    as_json: bool,
) -> None:
    from jelly_rdflib.live import connect

    settings = {**secret_settings, **settings}

    def progress(patch: Any) -> None:
        if as_json:
            say(json.dumps({"version": replica.version, "operations": len(patch)}))
        else:
            tell(f"version {replica.version}: {count(len(patch), 'operation')}")

    with open_live(connect, url, settings, timeout=timeout, limits=chosen_limits()) as source:
        replica.follow(source, save_every=store_every, strict=strict, progress=progress)
