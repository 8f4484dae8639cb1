// Builders of rows and pictures for the dashboard's tests.

import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';
import { emptyPicture } from '../../src/engine/picture/pictureChange.ts';
import type { PoolRow } from '../../src/engine/picture/poolRow.ts';
import { asInstant } from '../../src/time/instant.ts';

export const nodeRow = (name: string, parts: Partial<NodeRow>): NodeRow => ({
  name,
  state: 'steady',
  createdAt: asInstant(0),
  pods: 1,
  ...parts,
});

export const poolRow = (name: string, parts: Partial<PoolRow> = {}): PoolRow => ({
  name,
  topologyKey: 'topology.kubernetes.io/zone',
  counted: 0,
  allowances: [],
  turns: [],
  ...parts,
});

export const pictureOf = (
  nodes: readonly NodeRow[],
  pools: readonly PoolRow[],
  parts: Partial<Picture> = {},
): Picture => ({ ...emptyPicture, nodes, pools, ...parts });
