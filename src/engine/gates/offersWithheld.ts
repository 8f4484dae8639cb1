// Offers withheld (N11): where guide may not act beside this Karpenter, nothing is offered and everything stays parked.
import type { Settings } from '../../cluster/settings.ts';
import { none, type Refusal, refuse } from '../refusal.ts';

/** Why nothing is offered; undefined = offers are made. */
export const withheldWhy = ({ role, withhold }: Settings): string | undefined =>
  role === 'guide' ? withhold : undefined;

export function offersWithheld(settings: Settings): readonly Refusal[] {
  const why = withheldWhy(settings);
  return why === undefined ? none : [refuse('OffersWithheld', sayWithheld(why))];
}

export const sayWithheld = (why: string): string => `Lull offers nothing to Karpenter at present: ${why}`;
