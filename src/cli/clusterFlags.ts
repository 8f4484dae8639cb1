// Which cluster is meant? The flags of every command that speaks to one, as kubectl spells them.
import type { Command } from 'commander';
import type { Connection } from '../kube/connection.ts';
import { connect } from '../kube/connection.ts';
import type { Place } from '../kube/findAccess.ts';
import { Failure } from './failure.ts';
import type { Io } from './io.ts';

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Where Lull lives, unless somebody says otherwise. */
export const usualNamespace = 'lull-system';
export const usualLease = 'lull';

/** Gives the command back, so that more can be added. */
export const addClusterFlags = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'as kubectl reads it (default: KUBECONFIG, ~/.kube/config, or the pod this runs in)')
    .option('--context <name>', 'a context of the kubeconfig (default: its current one)');

export const placeOf = ({ kubeconfig, context }: ClusterFlags): Place => ({
  ...(kubeconfig !== undefined && { kubeconfig }),
  ...(context !== undefined && { context }),
});

export const userAgentOf = ({ version }: Pick<Io, 'version'>): string => `lull/${version}`;

/** Whoever opens it closes it. Whether the server answers is seen with the first request. */
export function connectTo(flags: ClusterFlags, io: Io): Connection {
  try {
    return connect(placeOf(flags), userAgentOf(io));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Failure([{ message: `${message} Name a cluster with --kubeconfig FILE and --context NAME.` }], {
      cause: error,
    });
  }
}
