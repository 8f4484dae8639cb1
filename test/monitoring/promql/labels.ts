// Label matching and grouping of PromQL.
import type { Labels } from './series.ts';
import type { Grouping } from './syntax.ts';

export function nameless({ __name__: _, ...labels }: Labels): Labels {
  return labels;
}

/** `by` and `on` keep the named labels, `without` and `ignoring` all others but the metric name. An empty label counts as absent. */
export function grouped(labels: Labels, { by, labels: names }: Grouping): Labels {
  const kept = Object.entries(nameless(labels)).filter(([key, value]) => value !== '' && names.includes(key) === by);
  const name = labels.__name__;
  return by && names.includes('__name__') && name !== undefined
    ? { __name__: name, ...Object.fromEntries(kept) }
    : Object.fromEntries(kept);
}
