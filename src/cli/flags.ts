// Parsed flags that several commands share, and their defaults.
import type { Io } from './io.ts';

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface SettingsFlags {
  readonly settings?: string;
  readonly set?: readonly string[];
}

export interface ObjectFlags extends SettingsFlags, ClusterFlags {
  readonly file?: readonly string[];
}

/** Whether --kubeconfig or --context is given. */
export const namesCluster = ({ kubeconfig, context }: ClusterFlags): boolean =>
  kubeconfig !== undefined || context !== undefined;

/** Lull's default namespace. */
export const usualNamespace = 'lull-system';
export const usualLease = 'lull';

export const thisMachine = '127.0.0.1';
/** The default port of `lull up`. */
export const usualPort = 7727;
/** The default address, with the port of LULL_PORT if that is set. */
export const usualServer = ({ port = usualPort }: Pick<Io, 'port'> = {}): string => `http://${thisMachine}:${port}`;
