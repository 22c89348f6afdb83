"""bench shell: runs our workloads on memksh and on every other shell installed, in turn.

Usage: scripts/bench shell [--shell PATH] [--vs NAME,...] [--only REGEX] [--full] [--runs N] [--minutes M] [--out DIR]
                           [--results FILE]

Workloads are the scripts of tests/bench/shell, each with a head: a comment that says what it does, then lines
`## KEY: VALUE` (group, n, need, expect, check, stdin, data, dir, repeat, args, runs, timeout, set). All shells
run a workload in turn, RUNS times, on one processor; a figure is the median of wall time, a ratio the median of
the pairwise ratios memksh/other (below 1: memksh is faster). A workload that a shell's language cannot express
is skipped. Writes DIR/shell.tsv and, with gnuplot, DIR/shell.png, beside what it prints; --results puts the table,
with the date and the machine, below the line `## Measured` of FILE (tests/bench/RESULTS.md). Workloads on which memksh
is not the fastest are named at the end. `limit` is a C program that does what nanosort does. ^C ends the run; what was
measured until then is written.

With --minutes a shell that has used up its share of that time on a workload makes no further runs, and one run may
take ten shares: what takes longer is `timeout`. As memksh and the fast shells need less, it is over in about that time
where M is not much below 15.
"""
import argparse
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = {"ksh93": ["ksh93"], "mksh": ["mksh"], "bash": ["bash"], "yash": ["yash"], "dash": ["dash"],
         "zsh": ["zsh", "--emulate", "ksh", "--no-rcs", "--no-typeset-to-unset"]}
GROUPS = ["headline", "startup", "loop", "arith", "func", "string", "match", "io", "process", "bigheap", "glob",
          "array", "parse", "macro", "memory"]
# What a workload may need of the language: prints ok where it works.
FEATURES = {
    "dparen": "n=1; (( n += 2 )); (( n == 3 )) && echo ok",
    "forarith": "for (( n = 0; n < 3; n++ )); do :; done; (( n == 3 )) && echo ok",
    "dbracket": "[[ memksh == mem* && memksh != k* ]] && echo ok",
    "regex": "r='^m(.)m'; [[ memo =~ $r ]] && ! [[ omen =~ $r ]] && echo ok",
    "typeset": "typeset -i n=2; n=n+2; [ \"$n\" = 4 ] && echo ok",
    "array": "v[0]=p; v[1]=q; n=1; set -- \"${v[@]}\"; [ \"$#${v[n]}\" = 2q ] && echo ok",
    "arrayslice": "v[0]=p; v[1]=q; v[2]=r; set -- \"${v[@]:1:2}\"; [ \"$#$1\" = 2q ] && echo ok",
    "arrayappend": "typeset -a v; v+=(p); v+=('q r'); [ \"${#v[@]}${v[1]}\" = '2q r' ] && echo ok",
    "assoc": "typeset -A v; k=q; v[p]=1; v[$k]=2; [ \"${v[p]}${v[q]}${#v[@]}\" = 122 ] && echo ok",
    "float": "(( 3.0 / 2 == 1.5 )) && typeset -F x=0.25 && echo ok",
    "kshfunc": "function f { typeset x=ok; echo $x; }; x=no; f",
    "append": "s=m; s+=em; [ \"$s\" = mem ] && echo ok",
    "substr": "s=memksh; [ \"${s:3:1}${s:4}\" = ksh ] && echo ok",
    "subst": "s=m-m; [ \"${s//m/k}${s/m/x}\" = k-kx-m ] && echo ok",
    "printf": "case $(type printf) in *built*) echo ok ;; esac",
    "herestring": "read -r x <<<ok; echo $x",
    "killbuiltin": "case $(type kill) in *built*) echo ok ;; esac",
    "utf8": "s=\u00fc; [ \"${#s}\" = 1 ] && echo ok",
}


def fail(why):
    sys.exit("bench: " + why)


class Workload:
    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-3]
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.head = dict(re.findall(r"^## (\w+): (.*)$", text, re.M))
        self.group = self.head["group"]
        self.size = self.head["n"]
        self.needs = self.head.get("need", "").split()


class Shell:
    def __init__(self, name, argv):
        self.name, self.argv, self.known = name, argv, {}

    def has(self, feature, env):
        if feature not in self.known:
            try:
                run = subprocess.run(self.argv + ["-c", FEATURES[feature]], env=env, stdin=subprocess.DEVNULL,
                                     capture_output=True, timeout=10)
                self.known[feature] = run.stdout.strip() == b"ok"
            except subprocess.TimeoutExpired:
                self.known[feature] = False
        return self.known[feature]


class Outcome:
    """The runs of one shell on one workload."""

    def __init__(self):
        self.wall, self.peak_kib, self.spent, self.state = [], [], 0.0, "ok"

    def median(self):
        return statistics.median(self.wall) if self.wall else None


class Bench:
    def __init__(self, args):
        self.args = args
        self.scratch = os.path.join(args.out, "scratch")
        os.makedirs(self.scratch, exist_ok=True)
        self.env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": self.scratch, "LC_ALL": "C.UTF-8",
                    "TERM": "dumb"}
        self.share = 25.0  # seconds after which a shell makes no further run of a workload
        self.input_maker = self.compile("bench_input")
        self.launcher = self.compile("bench_launch")

    def compile(self, name):
        source, target = os.path.join(TOP, "tests/bench", name + ".c"), os.path.join(self.scratch, name)
        if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source):
            if subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", target, source], check=False).returncode:
                fail("cannot compile " + source)
        return target

    def made(self, kind, count):
        """The input `kind count`; "dir N": a directory of N empty files."""
        path = os.path.join(self.scratch, "%s-%s" % (kind, count))
        if os.path.exists(path):
            return path
        part = path + ".part"
        if kind == "dir":
            shutil.rmtree(part, ignore_errors=True)
            os.makedirs(part)
            for i in range(int(count)):
                open(os.path.join(part, "file%05d.txt" % i), "w", encoding="ascii").close()
        else:
            with open(part, "wb") as f:
                subprocess.run([self.input_maker, kind, count], stdout=f, check=True)
        os.rename(part, path)
        return path

    def command(self, shell, work):
        if shell.name == "limit":
            return shell.argv if work.head.get("check") == "permutation" else None
        if not all(shell.has(feature, self.env) for feature in work.needs):
            return None
        if "args" in work.head:
            return shell.argv + work.head["args"].split()
        return shell.argv + [work.path, work.size]

    def once(self, argv, work, outcome):
        env = dict(self.env)
        stdin, out = "/dev/null", os.path.join(self.scratch, "out")
        if "stdin" in work.head:
            stdin = self.made(*work.head["stdin"].split())
        if "data" in work.head:
            env["DATA"] = self.made(*work.head["data"].split())
        if "dir" in work.head:
            env["DATA"] = self.made("dir", work.head["dir"])
        limit = work.head.get("timeout", "60")
        if self.args.minutes:
            limit = str(min(int(limit), math.ceil(10 * self.share)))
        line = [self.launcher, limit, work.head.get("repeat", "1"), stdin, out, out + ".err"]
        run = subprocess.run(line + argv, env=env, cwd=self.scratch, stdout=subprocess.PIPE, text=True, check=True)
        status, wall, _, peak = run.stdout.split()
        wall = float(wall)
        outcome.spent += wall
        if status == "0":
            status, wall = self.judge(work, stdin, out, wall)
        if status == "0":
            outcome.wall.append(wall)
            outcome.peak_kib.append(int(peak))
        else:
            outcome.state = "exit " + status if status.isdigit() else status

    @staticmethod
    def judge(work, stdin, out, wall):
        """Is the output right? Between `metric inner0` and `inner1` a script times what counts itself."""
        if work.head.get("check") == "permutation":
            with open(stdin, "rb") as f, open(out, "rb") as g:
                return ("0" if sorted(f.read().split(b"\n")) == sorted(g.read().split(b"\n")) else "wrong"), wall
        with open(out, encoding="utf-8", errors="replace") as f:
            lines = f.read().split("\n")
        inner = dict(re.findall(r"^metric (inner[01]) (\d+)$", "\n".join(lines), re.M))
        if len(inner) == 2:
            wall = (int(inner["inner1"]) - int(inner["inner0"])) / 1e9
        text = " ".join(line.strip() for line in lines if not line.startswith("metric ")).strip()
        return ("0" if "expect" not in work.head or text == work.head["expect"] else "wrong"), wall

    def workload(self, work, shells):
        results = {}
        for shell in shells:
            results[shell.name] = Outcome()
        commands = {s.name: self.command(s, work) for s in shells}
        runs = min(self.args.runs, int(work.head.get("runs", self.args.runs)))
        for run in range(runs):
            turn = run % len(shells)
            for shell in shells[turn:] + shells[:turn]:
                outcome = results[shell.name]
                if commands[shell.name] is None:
                    outcome.state = "skip"
                elif outcome.state == "ok" and (run == 0 or outcome.spent < self.share):
                    self.once(commands[shell.name], work, outcome)
        return results


def ratio(mine, other):
    pairs = [a / b for a, b in zip(mine.wall, other.wall) if b > 0]
    return statistics.median(pairs) if pairs else None


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def shown(value):
    return "-" if value is None else "%.2f" % value if value >= 0.1 else "%.3f" % value


def spread(outcome):
    """How far the runs are apart, in per cent of their median."""
    return 100 * (max(outcome.wall) - min(outcome.wall)) / outcome.median() if outcome.wall else 0


def report(path, names, rows):
    with open(path, "w", encoding="utf-8") as f:
        f.write("workload\tgroup\tn\tspread_percent\tpeak_kib\t%s\n" % "\t".join(n + "_s" for n in names))
        for work, results in rows:
            mine = results[names[0]]
            times = ["%.4f" % results[n].median() if results[n].wall else results[n].state for n in names]
            peak = max(mine.peak_kib) if mine.peak_kib else 0
            f.write("%s\t%s\t%s\t%.0f\t%d\t%s\n" % (work.name, work.group, work.size, spread(mine), peak, "\t".join(times)))


def slower_lines(names, rows):
    """The workloads on which another shell is faster: each with the fastest, or that memksh did not end."""
    lines = []
    for work, results in rows:
        mine = results[names[0]]
        quotients = [(ratio(mine, results[n]), n) for n in names[1:-1] if mine.wall and results[n].wall]
        worst = max((pair for pair in quotients if pair[0]), default=None)
        if not mine.wall:
            lines.append("%s: %s" % (work.name, mine.state))
        elif worst and worst[0] > 1:
            lines.append("%s: %s of %s" % (work.name, shown(worst[0]), worst[1]))
    return lines


def machine():
    """When and on what this was measured."""
    def said(*command):
        try:
            return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        except OSError:
            return ""

    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        model = re.search(r"^model name\s*: (.*)", f.read(), re.M)
    return "%s, %s, %d processors, load %.1f, Linux %s; %s." % (
        time.strftime("%Y-%m-%d"), model.group(1) if model else os.uname().machine, os.cpu_count(), os.getloadavg()[0],
        os.uname().release, said("dpkg-query", "-W", "-f", "${Package} ${Version}, ", "ksh93u+m", "mksh", "bash", "yash",
                                 "dash", "zsh", "libc6").rstrip(", "))


def put_results(path, started, names, rows, means):
    """Replaces what the file PATH has below its line `## Measured`; what is above is written by hand."""
    with open(path, encoding="utf-8") as f:
        kept = f.read().split("\n## Measured\n")[0].rstrip("\n")
    lines = [started, "", "Seconds (medians), spread of the runs, peak; for the others seconds and, in brackets, the ratio memksh/other.",
             "", "| workload | n | memksh | +-% | MiB | " + " | ".join(names[1:]) + " |", "|---" * (len(names) + 4) + "|"]
    for work, results in rows:
        mine = results[names[0]]
        cells = [work.name, work.size]
        if mine.wall:
            cells += ["%.3f" % mine.median(), "%.0f" % spread(mine), "%.1f" % (max(mine.peak_kib) / 1024)]
        else:
            cells += [mine.state, "", ""]
        for name in names[1:]:
            other = results[name]
            quotient = ratio(mine, other)
            cells.append("%.3f (%s)" % (other.median(), shown(quotient)) if quotient else
                         "" if other.state == "skip" else other.state)
        lines.append("| %s |" % " | ".join(cells))
    lines += ["", "Geometric means of the ratios (below 1: memksh is faster):", "",
              "| group | " + " | ".join(names[1:-1]) + " |", "|---" * (len(names) - 1) + "|"]
    lines += ["| %s | %s |" % (group, " | ".join(shown(values[n]) for n in names[1:-1])) for group, values in means.items()]
    lines += ["", "Where memksh is not the fastest (its time by that of the fastest):", ""]
    lines += ["- " + line for line in slower_lines(names, rows)] or ["nowhere"]
    with open(path, "w", encoding="utf-8") as f:
        f.write("%s\n\n## Measured\n\n%s\n" % (kept, "\n".join(lines)))
    print("written: %s" % path)


def picture(path, means):
    """Bars: for each group the geometric mean of the ratios to each shell."""
    if not shutil.which("gnuplot"):
        return
    data = path[:-4] + ".dat"
    peers = list(next(iter(means.values())))
    with open(data, "w", encoding="utf-8") as f:
        for group, values in means.items():
            f.write('"%s" %s\n' % (group, " ".join("%.4f" % values[p] if values[p] else "NaN" for p in peers)))
    plots = ", ".join("'%s' using %d:xtic(1) title '%s'" % (data, i + 2, p) for i, p in enumerate(peers))
    subprocess.run(["gnuplot"], check=False, text=True, stderr=subprocess.DEVNULL, input=(
        "set terminal pngcairo size 1200,500; set output '%s'; set style data histograms; set style fill solid 0.7; "
        "set logscale y; set grid y; set ylabel 'time of memksh / time of the other'; set xtics rotate by -30; "
        "plot %s, 1 lc black title ''\n" % (path, plots)))


def table_line(names, work, results):
    """The line of the table for WORK, and the ratios to the other shells."""
    mine, ratios = results[names[0]], {}
    line = "%-19s" % work.name
    if mine.wall:
        line += "%8.3f %4.0f%8.1f" % (mine.median(), spread(mine), max(mine.peak_kib) / 1024)
    else:
        line += "%8s %4s%8s" % (mine.state, "", "")
    for name in names[1:]:
        other = results[name]
        quotient = ratio(mine, other)
        if quotient and work.group != "memory" and name != "limit":
            ratios[name] = quotient
        text = "%.3f" % other.median() if other.wall else "" if other.state == "skip" else other.state
        line += "%9s%6s" % (text, shown(quotient) if quotient else "")
    return line, ratios


def run_all(bench, works, shells):
    """Runs WORKS and prints a line for each. Returns what was measured, the ratios by group, and whether all were run."""
    names = [s.name for s in shells]
    print("%-19s%8s %4s%8s" % ("workload", "wall s", "+-%", "MiB") + "".join("%15s" % n for n in names[1:]))
    rows, ratios = [], {}
    try:
        for done, work in enumerate(works):
            if sys.stderr.isatty():
                bar = "#" * (30 * done // len(works))
                sys.stderr.write("\r\033[K[%-30s] %d/%d %s" % (bar, done, len(works), work.name))
            results = bench.workload(work, shells)
            rows.append((work, results))
            line, quotients = table_line(names, work, results)
            for name, quotient in quotients.items():
                ratios.setdefault(work.group, {}).setdefault(name, []).append(quotient)
            sys.stderr.write("\r\033[K" if sys.stderr.isatty() else "")
            print(line, flush=True)
    except KeyboardInterrupt:
        sys.stderr.write("\r\033[K" if sys.stderr.isatty() else "")
        print("interrupted after %d of %d workloads" % (len(rows), len(works)), file=sys.stderr)
        return rows, ratios, False
    return rows, ratios, True


def find_shells(args, bench):
    shells = [Shell("memksh", [args.shell])]
    for name in filter(None, args.vs.split(",")):
        argv = PEERS.get(name, [name])
        if shutil.which(argv[0]):
            shells.append(Shell(name, argv))
        elif name not in PEERS or args.vs != ",".join(PEERS):
            fail("%s: no such shell" % name)
        else:
            print("bench: %s is not installed" % name, file=sys.stderr)
    return shells + [Shell("limit", [bench.compile("nanosort_limit")])]


def find_works(args):
    folder = os.path.join(TOP, "tests/bench/shell")
    works = [Workload(os.path.join(folder, f)) for f in sorted(os.listdir(folder)) if f.endswith(".sh")]
    try:
        works = [w for w in works if (re.search(args.only, w.name) or args.only == w.group) and
                 (args.full or w.head.get("set", "default") == "default" or args.only == w.name)]
    except re.error as error:
        fail("--only %s: %s" % (args.only, error))
    if not works:
        fail("--only %s: no such workload" % args.only)
    return sorted(works, key=lambda w: (GROUPS.index(w.group), w.name))


def main(argv):
    parser = argparse.ArgumentParser(prog="scripts/bench shell", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shell", default=os.path.join(TOP, "build/release/shell/memksh"))
    parser.add_argument("--vs", default=",".join(PEERS), help="default: all that are installed")
    parser.add_argument("--only", default="", help="workloads or groups whose name matches")
    parser.add_argument("--full", action="store_true", help="the long workloads too")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=None, help="about how long the run may take")
    parser.add_argument("--out", default=os.path.join(TOP, "build/bench-shell"))
    parser.add_argument("--results", default=None, help="a file whose part below `## Measured` is replaced")
    args = parser.parse_args(argv)
    args.shell, args.out = os.path.abspath(args.shell), os.path.abspath(args.out)
    if not os.access(args.shell, os.X_OK):
        fail("%s: no such shell; build it first, or name one with --shell" % args.shell)
    if args.runs < 1 or (args.minutes is not None and args.minutes <= 0):
        fail("--runs and --minutes are above 0")
    if args.results and not os.path.exists(args.results):
        fail("%s: no such file" % args.results)
    works = find_works(args)
    bench = Bench(args)
    shells = find_shells(args, bench)
    names = [s.name for s in shells]
    if args.minutes:
        bench.share = 60 * args.minutes / len(works) / len(shells)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    started = machine()
    rows, ratios, complete = run_all(bench, works, shells)
    print("\ngeometric means of the ratios (below 1: memksh is faster)")
    means = {}
    for group in [g for g in GROUPS if g in ratios] + ["all"]:
        lists = ratios.values() if group == "all" else [ratios[group]]
        means[group] = {n: geometric([q for part in lists for q in part.get(n, [])]) for n in names[1:-1]}
        print("%-39s" % group + "".join("%15s" % shown(means[group][n]) for n in names[1:-1]))
    print("\nwhere memksh is not the fastest (its time by that of the fastest)")
    print("\n".join(slower_lines(names, rows)) or "nowhere")
    report(os.path.join(args.out, "shell.tsv"), names, rows)
    picture(os.path.join(args.out, "shell.png"), means)
    print("written: %s" % os.path.join(args.out, "shell.tsv"))
    if not complete:
        return 130
    if args.results:
        put_results(args.results, started, names, rows, means)
    return 1 if any(not r["memksh"].wall for _, r in rows) else 0
