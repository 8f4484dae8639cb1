// What makes pods differ in what they need and where they may go, as text: the same text = the same class (F6).
import type { Toleration } from '../../cluster/model.ts';
import type { Resources } from '../../cluster/quantity.ts';
import type { PlacedPod } from './uncounted.ts';

export function needsText(requests: Resources): string {
  let text = '\n';
  for (const name in requests) text += `${name} ${requests[name]} `;
  return text;
}

export function rulesText({ tolerations, nodeSelector, isUncounted }: PlacedPod): string {
  let text = isUncounted ? '\n!' : '\n';
  for (const it of tolerations) text += tolerationText(it);
  return nodeSelector ? `${text}\n${JSON.stringify(nodeSelector)}` : text;
}

const tolerationText = ({ key, operator, value, effect }: Toleration): string =>
  `${key ?? ''} ${operator ?? ''} ${value ?? ''} ${effect ?? ''};`;
