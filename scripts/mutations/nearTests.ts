// Test files that could notice a change of a source file, by how near they import it.
import { isTest, readSources, type Source } from '../../test/architecture/sources.ts';

/** All tests that import src, except those that only check the form of sources, need a build, or drive a browser or a cluster. */
const aside =
  /^test\/(architecture|chart|cluster|dashboard|docs|e2e|image|kube|manifests|monitoring|package|reference|sbom|supply|fuzz)\//;

/** Model tests run whole simulations, so they come last. */
const slow = /^test\/(model|golden-sim|oracle|invariants|placement|hostile|vectors)\/|\.property\.test\.ts$/;

export class NearTests {
  readonly #importers = new Map<string, Set<string>>();
  readonly #tests: ReadonlySet<string>;

  constructor() {
    const sources = readSources('src', 'test').filter(({ path }) => !aside.test(path));
    this.#tests = new Set(sources.filter(isTest).map(({ path }) => path));
    for (const source of sources) this.#note(source);
  }

  #note({ path, imports }: Source): void {
    for (const { target, isFile, typeOnly } of imports) {
      if (!isFile || typeOnly || target === undefined) continue;
      const importers = this.#importers.get(target) ?? new Set();
      this.#importers.set(target, importers.add(path));
    }
  }

  /** In stages that run one after another: the nearest tests, all other quick ones, and those that run whole clusters. */
  of(file: string): readonly (readonly string[])[] {
    const distance = this.#distances(file);
    const tests = [...distance].filter(([path]) => this.#tests.has(path)).sort(([, a], [, b]) => a - b);
    const quick = tests.filter(([path]) => !slow.test(path));
    const nearest = quick.filter(([, far]) => far <= 2).map(([path]) => path);
    const near = nearest.length > 0 ? nearest : quick.slice(0, 4).map(([path]) => path);
    const others = quick.map(([path]) => path).filter((path) => !near.includes(path) && isCore(path));
    const whole = tests.map(([path]) => path).filter((path) => slow.test(path));
    return [near, others, whole].filter((stage) => stage.length > 0);
  }

  #distances(file: string): ReadonlyMap<string, number> {
    const distance = new Map([[file, 0]]);
    for (const [path, far] of distance) {
      for (const importer of this.#importers.get(path) ?? []) {
        if (!distance.has(importer)) distance.set(importer, far + 1);
      }
    }
    return distance;
  }
}

/** Tests of commands, servers and linters exercise the engine too, but the same parts of it. */
const isCore = (path: string): boolean => /^(src\/(engine|cluster|time|runtime)|test\/golden)\//.test(path);
