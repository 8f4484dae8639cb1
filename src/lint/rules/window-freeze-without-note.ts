// Which freezes do not say whose they are?
import { always } from '../../time/window.ts';
import { isOver, soundWindows, windowObject } from '../facts/windows.ts';
import type { Rule } from '../rule.ts';

const name = 'window-freeze-without-note';

export const windowFreezeWithoutNote: Rule = {
  name,
  finds: 'A blocking MaintenanceWindow with dates (notBefore, notAfter) but without a note.',
  why: 'The note is shown with every refusal: it tells whoever waits for a node who froze it, and why.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: year-end}
spec:
  notBefore: "2098-12-20T00:00:00Z"
  notAfter: "2099-01-05T00:00:00Z"
`,
  *check(policy) {
    for (const window of soundWindows(policy)) {
      if (window.mode !== 'Block' || window.life === always || window.note !== undefined) continue;
      if (isOver(window, policy.now)) continue;
      yield {
        rule: name,
        severity: 'info',
        object: windowObject(window),
        path: 'spec.note',
        message: `It freezes nodes ${window.life.text}, but does not say who asked for that and why.`,
        suggestion: 'Add a note, such as note: shop team, sales week.',
      };
    }
  },
};
