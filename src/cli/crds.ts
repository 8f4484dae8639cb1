// `lull crds`: which CustomResourceDefinitions does Lull need, and what would Karpenter's own NodePool need to learn?
import { type Command, Option } from 'commander';
import { embeddedKinds, ownKinds } from '../kinds/crds/crds.ts';
import { asCrd, crdName, type Definition } from '../kinds/crds/definition.ts';
import { nodePool } from '../kinds/crds/nodePool.ts';
import { type JsonPatchOperation, patchNodePoolCrd } from '../kinds/crds/patchNodePool.ts';
import type { Document } from '../kinds/documents.ts';
import { orList } from '../kinds/reader.ts';
import { Failure, wrongUsage } from './failure.ts';
import { documentsIn } from './input.ts';
import type { Io } from './io.ts';
import { printAnswer } from './output.ts';
import { readSources } from './sources.ts';

interface Flags {
  readonly output: 'yaml' | 'json';
  readonly patchNodepool?: string;
}

const examples = `
Examples:
  # install what Lull needs; Karpenter's CRDs are not touched
  $ lull crds | kubectl apply -f -

  # one of them, by kind, plural or short name
  $ lull crds mw -o json

  # the NodePool of a cluster that has no Karpenter
  $ lull crds nodepools

  # what Karpenter's NodePool would have to learn: a JSON patch that only adds
  $ kubectl get crd nodepools.karpenter.sh -o yaml | lull crds --patch-nodepool - -o json > patch.json
  $ kubectl patch crd nodepools.karpenter.sh --type json --patch-file patch.json
`;

export function addCrds(program: Command, io: Io): void {
  program
    .command('crds')
    .summary("print Lull's CustomResourceDefinitions, or a patch of Karpenter's")
    .description(
      "Prints the CustomResourceDefinitions that Lull needs. The NodePool of the embedded cluster is printed only when named: applied beside Karpenter it would replace Karpenter's own.",
    )
    .argument('[names...]', 'kinds, plurals or short names (default: all but the NodePool)')
    .option(
      '--patch-nodepool <file>',
      "print the JSON patch that adds Lull's fields to this CRD of Karpenter; - for stdin",
    )
    .addOption(new Option('-o, --output <form>', 'how to write the answer').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', examples)
    .action((names: readonly string[], flags: Flags) => crds(names, flags, io));
}

async function crds(names: readonly string[], { output, patchNodepool: file }: Flags, io: Io): Promise<void> {
  if (file === undefined) return printCrds(names.length > 0 ? names.map(named) : ownKinds, output, io);
  if (names.length > 0) throw wrongUsage('A patch is for the NodePool alone. Leave the names out.');
  const patch = await patchFor(file, io);
  print(patch, output, io);
}

function printCrds(kinds: readonly Definition[], output: Flags['output'], io: Io): void {
  const printed = [...new Set(kinds)].map(asCrd);
  if (output === 'json' && printed.length > 1) print({ apiVersion: 'v1', kind: 'List', items: printed }, output, io);
  else {
    printed.forEach((crd, index) => {
      if (index > 0) io.stdout('---\n');
      print(crd, output, io);
    });
  }
}

const print = (value: unknown, output: Flags['output'], io: Io): void =>
  printAnswer(io, output, { value: () => value, lines: () => [] });

/** As kubectl takes them. */
function named(name: string): Definition {
  const word = name.toLowerCase();
  const known = [...ownKinds, ...embeddedKinds];
  const found = known.find((it) => [it.kind.toLowerCase(), it.plural, crdName(it), ...it.shortNames].includes(word));
  if (!found) throw wrongUsage(`${name} is no kind of Lull's. Use ${orList(known.map(({ kind }) => kind))}.`);
  return found;
}

async function patchFor(file: string, io: Io): Promise<JsonPatchOperation[]> {
  const documents = documentsIn(await readSources([file], io));
  const document = documents.find(isNodePoolCrd) ?? documents[0];
  if (!document) throw new Failure([{ file, message: 'There is no object in this input.' }]);
  const answer = patchNodePoolCrd(document.object);
  if ('fault' in answer) throw new Failure([{ ...document.position(''), message: answer.fault }]);
  return answer.patch;
}

const isNodePoolCrd = ({ object: { kind, metadata } }: Document): boolean =>
  kind === 'CustomResourceDefinition' && (metadata as { name?: unknown } | undefined)?.name === crdName(nodePool);
