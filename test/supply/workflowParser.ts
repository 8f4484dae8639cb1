// GitHub's own workflow parser: errors of syntax, of the schema and of expressions.
import { build } from 'esbuild';
import { root } from '../cluster/places.ts';

interface Parser {
  errorsIn(name: string, content: string): Promise<readonly string[]>;
}

// Its files import JSON without the attribute that Node requires, so it is bundled first.
const contents = `
import { convertWorkflowTemplate, parseWorkflow } from '@actions/workflow-parser';
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer';
export async function errorsIn(name, content) {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}`;

export async function openParser(): Promise<Parser> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as Parser;
}
