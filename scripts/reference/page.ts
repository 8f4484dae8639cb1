// The layout of a generated page, and Markdown tables.

export const page = (title: string, intro: string, body: string): string =>
  `# ${title}\n\n<!-- Generated from the code by \`npm run reference\`. Do not edit. -->\n\n${intro}\n\n${body.trimEnd()}\n`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n');

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
