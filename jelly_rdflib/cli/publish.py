"""``jellyp publish``: sends patches to a broker, a server or a log."""

from __future__ import annotations

import json
from contextlib import closing

import click

from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.live_options import LIVE_URL, open_live, settings_options
from jelly_rdflib.cli.options import (
    CHANGES,
    chosen_limits,
    from_option,
    repeated_option,
)
from jelly_rdflib.cli.printable import count, say, tell


@click.command("publish")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=CHANGES)
@click.argument("url", metavar="URL", type=LIVE_URL)
@settings_options
@from_option("FILE")
@repeated_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    files: tuple[str, ...],
    url: str,
    settings: dict[str, str],
    secret_settings: dict[str, str],
    from_: str | None,
    as_json: bool,
) -> None:
    """Send the patches of files to a broker, a server or a log.

    A FILE may have several patches, or be a patch log. The command ends when all are accepted.

    \b
    URL is one of:
      kafka://host:9092/topic
      mqtt://host:1883/topic, mqtts://…
      grpc://host:8981/topic, grpcs://…
      http://…, https://…, or a folder: a patch log

    \b
    Examples:
      jellyp publish monday.jellyp kafka://localhost:9092/changes
      jellyp diff old.nq new.nq | jellyp publish - mqtt://localhost/changes --from rdf-patch
      jellyp publish history kafka://broker:9093/changes --settings tls.properties
    """
    from jelly_rdflib.live import open_sink
    from jelly_rdflib.patch.reading import PatchIterator

    check_stdin_once(*files)
    limits = chosen_limits()
    patches = operations = 0
    with open_live(open_sink, url, {**secret_settings, **settings}, limits=limits) as sink:
        for file in files:
            with open_argument(file, from_) as input_:
                most = limits.max_held_operations
                reader = PatchIterator(input_.open_changes(), max_held_operations=most)
                with closing(reader):
                    for patch in reader:
                        sink.send(patch)
                        patches += 1
                        operations += len(patch)
    # Leave out the settings in the address.
    address = url.partition("?")[0]
    if as_json:
        say(json.dumps({"url": address, "patches": patches, "operations": operations}))
    else:
        tell(f"{count(patches, 'patch', 'patches')} sent to {address}")
