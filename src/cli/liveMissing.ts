// What is to be done about a view that is not complete? The words of the port, gathered by cause, with a remedy where a person has to do something.
import { apiKindOf } from '../kube/apiKind.ts';

export interface Missing {
  /** The same as long as nothing is worth a new line: causes, not the kinds that wait their turn. */
  readonly key: string;
  readonly text: string;
}

interface Cause {
  readonly name: string;
  /** Its first group is the kind. */
  readonly words: RegExp;
  readonly say: (kinds: string, words: string) => string;
}

const isKarpenters = '(NodePool|NodeClaim)';

/** The first that fits. */
const causes: readonly Cause[] = [
  {
    name: 'no-karpenter',
    words: new RegExp(`^${isKarpenters} is not listed yet: 404:`),
    say: (kinds) => `the server does not know ${kinds} in ${apiKindOf('NodePool').apiVersion}: install Karpenter`,
  },
  {
    name: 'not-installed',
    words: /^(\w+) is not listed yet: 404:/,
    say: (kinds) => `the server does not know ${kinds}: \`lull install\` brings their definitions`,
  },
  {
    name: 'forbidden',
    words: /^(\w+) is not listed yet: 403:/,
    say: (kinds) => `Lull may not read ${kinds}: \`lull install\` brings the rights`,
  },
  {
    name: 'coming',
    words: /^(\w+) is not listed yet(?:: (.*))?$/,
    say: (kinds, why) => `not listed yet: ${kinds}${because(why)}`,
  },
  {
    name: 'again',
    words: /^(\w+) is being listed again(?:: (.*))?$/,
    say: (kinds, why) => `being listed again: ${kinds}${because(why)}`,
  },
  {
    name: 'down',
    words: /^the watch of (\w+) has been down since [^:]+:\d+:\d+Z(?:: (.*))?$/,
    say: (kinds, why) => `nothing has come of ${kinds} for a while${because(why)}`,
  },
  {
    name: 'behind',
    words: /^(\w+) is seen up to /,
    say: (kinds) => `another Lull has seen more of ${kinds}; this one is catching up`,
  },
];

const because = (why: string): string => (why === '' ? '' : ` (${why})`);

export function sayMissing(why: readonly string[]): Missing {
  const found = new Map<string, { readonly cause: Cause; readonly kinds: string[]; why: string }>();
  const others: string[] = [];
  for (const words of why) {
    const cause = causes.find((each) => each.words.test(words));
    if (!cause) {
      others.push(words);
      continue;
    }
    const [, kind = '', reason = ''] = cause.words.exec(words) ?? [];
    const group = found.get(cause.name) ?? { cause, kinds: [], why: reason };
    found.set(cause.name, group);
    group.kinds.push(kind);
  }
  const sentences = [...found.values()].map((group) => group.cause.say(group.kinds.join(', '), group.why));
  // Digits are countdowns and versions.
  const key = [...found.keys(), ...others.map((words) => words.replace(/\d+/g, ''))].join();
  return { key, text: [...sentences, ...others].join('; ') };
}
