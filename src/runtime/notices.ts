// What has changed since the round before, so that people should be told (J5, E6)? Worked out from two rounds; nothing is sent here.
// A notice is another one when its code or its owner is another, never for a sentence in which only a number or an instant changed.
// What is under way is told from the ledger as it was committed: a round that lost the race for it has done nothing.
import { heldToExpiry } from './forcedExpiry.ts';
import type { Looking, Notice, Remembered } from './notice.ts';
import { commandNotices } from './noticesOfCommands.ts';
import { expiryNotices } from './noticesOfExpiry.ts';
import { faultNotices } from './noticesOfFaults.ts';
import { deferralNotices, heldNotices } from './noticesOfHolds.ts';
import { poolNotices } from './noticesOfPools.ts';
import { windowNotices } from './noticesOfWindows.ts';
import type { Told } from './wantedStatus.ts';

export function noticesOf(before: Remembered | undefined, told: Told): { notices: Notice[]; remembered: Remembered } {
  const said = new Map<string, string>();
  const looking: Looking = {
    told,
    before,
    isNew: (about, says) => {
      said.set(about, says);
      return before?.said.get(about) !== says;
    },
  };
  const notices = [
    faultNotices,
    poolNotices,
    expiryNotices,
    commandNotices,
    windowNotices,
    deferralNotices,
    heldNotices,
  ].flatMap((look) => look(looking));
  return {
    notices,
    remembered: {
      ledger: told.facts.ledger,
      round: told.round,
      said,
      expiring: heldToExpiry({ ...told, role: told.settings.role }),
    },
  };
}
