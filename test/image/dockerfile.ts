// Parses the Dockerfile: what is copied in, what is copied over, what is run.
import { cpSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface Recipe {
  /** Copied from the build stage, in order: paths there, and their targets. */
  readonly copies: readonly { readonly from: readonly string[]; readonly to: string }[];
  readonly entrypoint: readonly string[];
  readonly user: string;
  readonly workdir: string;
}

const wordsOf = (line: string): string[] => line.trim().split(/\s+/);

export function readRecipe(text: string): Recipe {
  const stage = text.slice(text.lastIndexOf('\nFROM ')).split('\n');
  const last = (instruction: string): string =>
    stage.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ?? '';
  const copies = stage
    .filter((line) => line.startsWith('COPY --from=build '))
    .map((line) => {
      const words = wordsOf(line).slice(2);
      return { from: words.slice(0, -1), to: words.at(-1) ?? '' };
    });
  return { copies, entrypoint: JSON.parse(last('ENTRYPOINT')), user: last('USER'), workdir: last('WORKDIR') };
}

/** The lines of .dockerignore that begin with `!`: everything else is excluded, and so are tests. */
export function copyContext(root: string, to: string): void {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  if (!lines.includes('*')) throw new Error('.dockerignore no longer starts by excluding everything');
  for (const line of lines.filter((it) => it.startsWith('!'))) {
    for (const path of globSync(line.slice(1), { cwd: root })) {
      mkdirSync(dirname(join(to, path)), { recursive: true });
      cpSync(join(root, path), join(to, path), {
        recursive: true,
        filter: (file) => !file.endsWith('.test.ts'),
      });
    }
  }
}

/** Like COPY: of a folder its content is copied, several files need a folder as target. */
export function takeOver({ copies, workdir }: Recipe, source: string, image: string): void {
  for (const { from, to } of copies) {
    const target = join(image, to.startsWith('/') ? to : join(workdir, to));
    for (const path of from) {
      const there = join(source, path.replace(/^\/source\//, ''));
      mkdirSync(target, { recursive: true });
      cpSync(there, path.endsWith('/') ? target : join(target, basename(path)), { recursive: true });
    }
  }
}
