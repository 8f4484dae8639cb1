// NodeClaims that take too long to become nodes, with Karpenter's conditions, as `lull why` prints them (F7).
import { type SlowClaim, sayCondition } from '../engine/slowClaims.ts';
import { sayMoment } from './moment.ts';
import { dim, type Line, plain, styled } from './span.ts';
import { type Page, titled } from './whyRefusals.ts';

export const renderSlow = (claims: readonly SlowClaim[] = [], page: Page): Line[] =>
  titled(
    'not ready in time',
    claims.flatMap(({ claim, node, createdAt, conditions }): Line[][] => [
      [
        [styled('yellow', `NodeClaim ${claim}`)],
        [plain(`${node === undefined ? 'no node' : `node ${node}`}, created ${sayMoment(createdAt, page.now)}`)],
      ],
      ...conditions.map((condition): Line[] => [[dim(`  ${condition.type}`)], [plain(sayCondition(condition))]]),
    ]),
    page,
  );
