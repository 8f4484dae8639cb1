// `lull crds`: prints Lull's CustomResourceDefinitions, or a patch for Karpenter's NodePool.
import { isMap, orList } from '../kinds/read/reader.ts';
import { asCrd, crdName, embeddedKinds, ownKinds } from '../kinds/schema/crds.ts';
import { nodePool } from '../kinds/schema/nodePoolSchema.ts';
import { type JsonPatchOperation, patchNodePoolCrd } from '../kinds/schema/patchNodePool.ts';
import type { Definition } from '../kinds/schema/schema.ts';
import type { Document } from '../kinds/text/documents.ts';
import { Failure, wrongUsage } from './failure.ts';
import { documentsIn } from './input.ts';
import type { Io } from './io.ts';
import { printAnswer } from './output.ts';
import { readSources } from './sources.ts';

interface CrdsFlags {
  readonly names: readonly string[];
  readonly output: 'yaml' | 'json';
  readonly patchNodepool?: string;
}

export async function crds({ names, output, patchNodepool: file }: CrdsFlags, io: Io): Promise<void> {
  if (file === undefined) return printCrds(names.length > 0 ? names.map(named) : ownKinds, output, io);
  if (names.length > 0) throw wrongUsage('--patch-nodepool is for the NodePool only. Leave out the names.');
  const patch = await patchFor(file, io);
  return print(patch, output, io);
}

async function printCrds(kinds: readonly Definition[], output: CrdsFlags['output'], io: Io): Promise<void> {
  const printed = [...new Set(kinds)].map(asCrd);
  if (output === 'json' && printed.length > 1)
    return print({ apiVersion: 'v1', kind: 'List', items: printed }, output, io);
  for (const [index, crd] of printed.entries()) {
    if (index > 0) io.stdout('---\n');
    await print(crd, output, io);
  }
}

const print = (value: unknown, output: CrdsFlags['output'], io: Io): Promise<void> =>
  printAnswer(io, output, { value: () => value, lines: () => [] });

/** By kind, plural, full or short name, as in kubectl. */
function named(name: string): Definition {
  const word = name.toLowerCase();
  const known = [...ownKinds, ...embeddedKinds];
  const found = known.find((it) => [it.kind.toLowerCase(), it.plural, crdName(it), ...it.shortNames].includes(word));
  if (!found)
    throw wrongUsage(`${JSON.stringify(name)} is not a kind of Lull. Use ${orList(known.map(({ kind }) => kind))}.`);
  return found;
}

async function patchFor(file: string, io: Io): Promise<JsonPatchOperation[]> {
  const documents = documentsIn(await readSources([file], io));
  const document = documents.find(isNodePoolCrd) ?? documents[0];
  if (!document) throw new Failure([{ file, message: 'The input has no objects.' }]);
  const answer = patchNodePoolCrd(document.object);
  if ('fault' in answer) throw new Failure([{ ...document.position(''), message: answer.fault }]);
  return answer.patch;
}

const isNodePoolCrd = ({ object: { kind, metadata } }: Document): boolean =>
  kind === 'CustomResourceDefinition' && isMap(metadata) && metadata.name === crdName(nodePool);
