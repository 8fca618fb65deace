"""Makes a self-signed certificate for 127.0.0.1."""

import subprocess
from pathlib import Path
from typing import NamedTuple


class Certificate(NamedTuple):
    """A certificate file and its key file, in PEM format."""

    certificate: Path
    key: Path


def make_certificate(folder: Path) -> Certificate:
    """Make a certificate and its key in a folder."""
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext"
    command += " subjectAltName=IP:127.0.0.1"
    options = ["-out", str(made.certificate), "-keyout", str(made.key)]
    subprocess.run([*command.split(), *options], check=True, capture_output=True)
    return made
