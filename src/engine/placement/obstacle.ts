// What can keep a pod off a node (F6)?

export const obstacles = [
  'room',
  'taint',
  'selector',
  'zone',
  'spread',
  'affinity',
  'antiAffinity',
  'port',
  'volume',
  'attachments',
  'uncounted',
] as const;

export type Obstacle = (typeof obstacles)[number];
