"""`python -m rtindex`: the version, what is built in, and the indexes of this machine."""

from . import _core, indexes


def main() -> None:
    print(_core.build_text)
    for index in indexes():
        print(f"{'available' if index.available else 'missing  '}  {index.spec}: {index.reason}")


if __name__ == "__main__":
    main()
