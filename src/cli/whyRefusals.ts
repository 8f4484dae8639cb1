// How is a refusal told to who asks why? Whose rule it is, when it lifts, and what a person could do.
import type { Advised } from '../engine/why/wishWhy.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { sayMoment } from './moment.ts';
import { bold, dim, emptyLine, type Line, plain, styled } from './span.ts';

export interface Page {
  readonly now: Instant;
  readonly width: number;
}

/** Of several nodes that are held alike it may lift at different instants. */
type Shown = Advised & { readonly liftsDiffer?: true };

function liftsWhen({ liftsAt, liftsDiffer }: Shown, now: Instant): string {
  if (liftsDiffer) return 'at another time for each of them';
  return liftsAt === undefined ? 'not by time alone' : sayMoment(liftsAt, now);
}

/** Each with whose rule it is, when it lifts, and what a person could do. */
export function renderRefusals(refusals: readonly Shown[], { now, width }: Page): Line[] {
  return refusals.flatMap((refusal) => {
    const rows: Line[][] = [
      [[dim('rule of')], [plain(ownerOf(refusal))]],
      [[dim('lifts')], [plain(liftsWhen(refusal, now))]],
      [[dim('you could')], [plain(refusal.help)]],
    ];
    return [
      ...alignColumns([[[styled('yellow', refusal.code)], [plain(refusal.message)]]], { indent: 2, width }),
      ...alignColumns(refusal.owner ? rows : rows.slice(1), { indent: 4, width }),
    ];
  });
}

function ownerOf({ owner }: Advised): string {
  if (!owner) return '';
  const name = owner.namespace === undefined ? owner.name : `${owner.namespace}/${owner.name}`;
  return `${owner.kind} ${name}${owner.index === undefined ? '' : `, budget ${owner.index}`}`;
}

export function titled(title: string, rows: readonly Line[][], { width }: Page): Line[] {
  return rows.length === 0 ? [] : [emptyLine, [bold(title)], ...alignColumns(rows, { indent: 2, width })];
}
