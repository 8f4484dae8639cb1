// How is a server reached, and as whom?

export interface Access {
  /** With its path, if it has one: some servers stand behind others. */
  readonly server: URL;
  readonly tls: {
    readonly ca?: string;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
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

/** For those who are known once and for all. */
export const fixedIdentity = (identity: Identity): Pick<Access, 'identify' | 'forget'> => ({
  identify: async () => identity,
  forget: () => false,
});
