// How is a scenario written? Its fields, and every word of its script and of what it expects.
import { faults } from '../../src/sim/scenario/happenings/fault.ts';
import { expectations } from '../../src/sim/scenario/readExpectations.ts';
import { growthFields, scenarioFields, typeFields } from '../../src/sim/scenario/scenario.ts';
import { happenings } from '../../src/sim/scenario/script.ts';
import { eventKinds } from '../../src/sim/story/event.ts';
import { page, table } from './page.ts';

interface Word {
  readonly name: string;
  readonly means: string;
  readonly example: string;
}

const fields = (of: Readonly<Record<string, string>>): string =>
  table(
    ['field', 'it says'],
    Object.entries(of).map(([name, means]) => [`\`${name}\``, means]),
  );

const words = (list: readonly Word[]): string =>
  table(
    ['word', 'it means', 'such as'],
    list.map(({ name, means, example }) => [`\`${name}\``, means, `\`${example}\``]),
  );

export function scenarioPage(): string {
  const intro =
    'A scenario is a file for `lull simulate` and `lull up`: ordinary Kubernetes objects, and one document of `apiVersion: lull.dev/v1alpha1` and `kind: Scenario`. There are many in [scenarios](../../scenarios/README.md). What is not known in a Scenario is an error. Times are Go durations since the start (`90m`), or instants.';
  return page(
    'Scenarios',
    intro,
    [
      '## The Scenario: `spec`',
      fields(scenarioFields),
      '### `nodes[]`',
      fields(growthFields),
      '### `instanceTypes`',
      fields(typeFields),
      '## `script[]`',
      'Each entry has `at` and one of these words; with `every` and `times` it happens again.',
      words(happenings),
      '### `fault`',
      'Each has `for`, after which it is undone; without it, it lasts.',
      words(faults),
      '## `expect[]`',
      words(expectations),
      '## Events',
      `What is told (L6): ${eventKinds.map((kind) => `\`${kind}\``).join(', ')}.`,
    ].join('\n\n'),
  );
}
