// The form of a reason's rule: one node in, its finding out.
import type { Pool } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Situation } from '../situation.ts';
import type { Finding } from '../wish.ts';

export type WishRule = (view: NodeView, pool: Pool | undefined, situation: Situation) => Finding;
