"""What the command writes to a terminal, and completion for zsh."""

import os
import pathlib
import pty
import shutil
import subprocess
import threading
import time
import unittest

from command import RTINDEX, CommandTest

SOURCE = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"])
ERASED = "\r\x1b[K"  # before and after each state of a bar


class Terminal(CommandTest):
    def on_terminal(self, *arguments, **environment):
        """Standard error of a command that waits two seconds for its column."""
        ours, theirs = pty.openpty()
        command = subprocess.Popen([RTINDEX, *map(str, arguments)], cwd=self.folder, stderr=theirs,
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   env={**os.environ, "TERM": "xterm-256color", **environment})
        os.close(theirs)
        written = []

        def read():
            try:
                while data := os.read(ours, 4096):
                    written.append(data)
            except OSError:  # the other side is closed
                pass

        reader = threading.Thread(target=read)
        reader.start()
        time.sleep(2)
        command.stdin.write(b"k\n5\n7\n")
        command.stdin.close()
        self.assertEqual(command.wait(timeout=60), 0)
        reader.join()
        os.close(ours)
        return b"".join(written).decode()

    def test_no_colours_with_no_color(self):
        text = self.on_terminal("lookup", "--column", "-", "--key", 5, NO_COLOR="1")
        self.assertIn(ERASED + "reading ", text)
        self.assertIn("100.0% matched", text)
        self.assertNotIn("\x1b", text.replace(ERASED, ""), "only the bar moves the cursor")

    def test_draw_shows_that_it_reads(self):
        text = self.on_terminal("draw", "--column", "-", "--key", 5, "-o", "x.svg")
        self.assertIn(ERASED + "reading ", text)
        self.assertTrue((self.folder / "x.svg").exists())

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_completion_in_zsh(self):
        completed = """
            function _describe { print -l -- ${(P)2} }
            function _call_program { shift; "$@" }
            function compadd { print -l -- ${(P)2} }
            function complete_words { CURRENT=$#; words=("$@"); source $SCRIPT }
            complete_words $RTINDEX ""
            print -r -- '---'
            complete_words $RTINDEX overlaps --
        """
        result = subprocess.run(["zsh", "-f", "-c", completed], capture_output=True, text=True, timeout=60, check=True,
                                env={**os.environ, "SCRIPT": str(SOURCE / "cli/completions/_rtindex")})
        verbs, options = result.stdout.split("---\n")
        self.assertTrue(any(line.startswith("lookup:") for line in verbs.splitlines()), verbs)
        self.assertIn("--range-ends", options.splitlines())


if __name__ == "__main__":
    unittest.main()
