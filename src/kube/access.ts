// How an API server is reached, and as whom.
import type { Impersonation } from './impersonation.ts';

export interface Access {
  /** With its path, if it has one: some servers stand behind others. */
  readonly server: URL;
  readonly tls: {
    readonly ca?: string;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** Whom every request acts as; absent = whoever the credentials are. */
  readonly actsAs?: Impersonation;
  /** Asked before every request; whoever answers remembers. */
  identify(): Promise<Identity>;
  /** The server did not know who it was: what is remembered is old. False = there is nothing newer to be had. */
  forget(): boolean;
}

export interface Identity {
  /** The header. */
  readonly authorization?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Whether credentials may be sent there: encrypted, or without leaving this machine. */
export const keepsSecrets = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** For those who are known once and for all. */
export const fixedIdentity = (identity: Identity): Pick<Access, 'identify' | 'forget'> => ({
  identify: async () => identity,
  forget: () => false,
});
