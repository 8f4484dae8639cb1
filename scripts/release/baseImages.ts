// Base images of a Dockerfile, and which of them are not pinned by digest.

export interface BaseImage {
  readonly line: number;
  readonly image: string;
}

const from = /^FROM\s+(?:--\S+\s+)*(?<image>\S+)(?:\s+AS\s+(?<stage>\S+))?\s*$/i;
const argument = /^ARG\s+(?<name>\w+)=(?<value>\S+)\s*$/i;
const digest = /@sha256:[0-9a-f]{64}$/;

/** Images a build would pull: FROM lines, build arguments replaced by their defaults, stages of the file itself left out. */
export function baseImagesIn(dockerfile: string): readonly BaseImage[] {
  const defaults = new Map<string, string>();
  const stages = new Set<string>();
  const found: BaseImage[] = [];
  dockerfile.split('\n').forEach((text, index) => {
    const { name = '', value = '' } = argument.exec(text)?.groups ?? {};
    if (name && found.length === 0) defaults.set(name, value.replace(/^"(.*)"$/, '$1'));
    if (!/^\s*FROM\s/i.test(text)) return;
    const { image: written = text.trim(), stage } = from.exec(text.trim())?.groups ?? {};
    const image = written.replace(/\$\{?(\w+)\}?/g, (whole, key: string) => defaults.get(key) ?? whole);
    if (!stages.has(image)) found.push({ line: index + 1, image });
    if (stage) stages.add(stage);
  });
  return found;
}

/** One sentence for each image without a digest. */
export const unpinnedIn = (dockerfile: string): readonly string[] => [
  ...baseImagesIn(dockerfile)
    .filter(({ image }) => image !== 'scratch' && !digest.test(image))
    .map(({ line, image }) => `Dockerfile:${line}: ${image} is not pinned by digest: write ${image}@sha256:…`),
  ...frontendsIn(dockerfile),
];

/** `# syntax=` names an image as well: the program that reads the file. */
const frontendsIn = (dockerfile: string): readonly string[] => {
  const [, image = ''] = /^#\s*syntax\s*=\s*(\S+)/i.exec(dockerfile) ?? [];
  return image === '' || digest.test(image) ? [] : [`Dockerfile:1: the syntax image ${image} is not pinned by digest`];
};
