// How is a picture drawn anew in the same place, and how is the screen given back as it was?
import type { Io } from './io.ts';
import { type Line, paint } from './span.ts';

const enter = '\x1b[?1049h\x1b[?25l';
const leave = '\x1b[?25h\x1b[?1049l';
const home = '\x1b[H';
const clearLine = '\x1b[K';
const clearBelow = '\x1b[J';

export interface Screen {
  draw(lines: readonly Line[]): void;
  /** Safe to call twice. */
  close(): void;
}

/** On a screen of its own: what was there before comes back when it is closed. */
export function openScreen(io: Io): Screen {
  let last = '';
  let isOpen = true;
  io.stdout(enter, 'screen');
  return {
    draw: (lines) => {
      const picture = paint(lines, io.color).replaceAll('\n', `${clearLine}\r\n`);
      if (!isOpen || picture === last) return;
      last = picture;
      // The last line break would scroll a full screen.
      io.stdout(`${home}${picture.replace(/\r\n$/, '')}${clearBelow}`, 'screen');
    },
    close: () => {
      if (isOpen) io.stdout(leave, 'screen');
      isOpen = false;
    },
  };
}
