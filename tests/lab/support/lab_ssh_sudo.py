"""Provide an account of machines that becomes root by sudo."""

from lab_ssh import DataCentre


def as_admin(centre: DataCentre) -> str:
    """Write an inventory whose account is `admin`, which may become root on all machines."""
    centre.allow_sudo()
    inventory = centre.place / "admin.yaml"
    inventory.write_text(centre.inventory.read_text().replace("user: root", "user: admin"))
    return str(inventory)
