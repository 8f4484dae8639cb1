// The reference page of scenario files: their fields, script actions, faults and expectations.
import { faults } from '../../src/sim/scenario/faults.ts';
import { expectations, scriptActions } from '../../src/sim/scenario/readScenario.ts';
import { initialNodesFields, scenarioFields, typeFields } from '../../src/sim/scenario/scenario.ts';
import { eventKinds } from '../../src/sim/story/storyEvent.ts';
import { page, table } from './page.ts';

interface ScenarioWord {
  readonly name: string;
  readonly means: string;
  readonly example: string;
}

const fields = (of: Readonly<Record<string, string>>): string =>
  table(
    ['field', 'meaning'],
    Object.entries(of).map(([name, means]) => [`\`${name}\``, means]),
  );

const words = (list: readonly ScenarioWord[]): string =>
  table(
    ['word', 'meaning', 'example'],
    list.map(({ name, means, example }) => [`\`${name}\``, means, `\`${example}\``]),
  );

export function scenarioPage(): string {
  const intro =
    'A scenario is a file for `lull simulate` and `lull up`: ordinary Kubernetes objects, and one document with `apiVersion: lull.dev/v1alpha1` and `kind: Scenario`. There are many examples in [scenarios](../../scenarios/README.md). Unknown fields in a Scenario are errors. Times are Go durations since the start (`90m`), or RFC 3339 timestamps.';
  return page(
    'Scenarios',
    intro,
    [
      '## The Scenario: `spec`',
      fields(scenarioFields),
      '### `nodes[]`',
      fields(initialNodesFields),
      '### `instanceTypes`',
      fields(typeFields),
      '## `script[]`',
      'Each entry has `at` and one of these actions; `every` and `times` repeat it.',
      words(scriptActions),
      '### `fault`',
      'Each may have `for`, after which it ends; without it, it lasts until the end.',
      words(faults),
      '## `expect[]`',
      words(expectations),
      '## Events',
      `The events of a simulation (L6): ${eventKinds.map((kind) => `\`${kind}\``).join(', ')}.`,
    ].join('\n\n'),
  );
}
