/**
 * Every module that a source file names, in every spelling: import, export from, import(), require, createRequire,
 * import.meta.resolve, type imports. Read from the syntax tree, so that strings and comments are not mistaken for imports and
 * no spelling slips through; a computed specifier is reported as null, because nobody could check it.
 */
import { parseSync, Visitor } from 'oxc-parser';

export interface Import {
  specifier: string | null;
  line: number;
}

/** Functions whose first argument names a module. */
const LOADERS = new Set([
  'require',
  'require.resolve',
  'import.meta.resolve',
  'module.require',
  'process.getBuiltinModule',
]);

export function importsOf(file: string, source: string): Import[] {
  const parsed = parseSync(file, source);
  if (parsed.errors.length > 0) throw new Error(`parsing ${file}: ${parsed.errors[0]?.message}`);
  const found: Import[] = [];
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length;
  function add(node: { type: string; start: number }): void {
    found.push({ specifier: literalOf(node), line: lineAt(node.start) });
  }
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source);
    },
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    TSExternalModuleReference: (node) => add(node.expression),
    CallExpression: (node) => {
      const callee = source.slice(node.callee.start, node.callee.end);
      const first = node.arguments[0];
      if (first !== undefined && (LOADERS.has(callee) || /^createRequire\(.*\)$/s.test(callee)))
        add(first);
    },
  }).visit(parsed.program);
  return found;
}

function literalOf(node: { type: string }): string | null {
  if (node.type === 'Literal') return String((node as unknown as { value: unknown }).value);
  if (node.type === 'TemplateLiteral') {
    const { quasis, expressions } = node as unknown as {
      quasis: { value: { cooked: string } }[];
      expressions: unknown[];
    };
    if (expressions.length === 0) return quasis[0]?.value.cooked ?? null;
  }
  return null;
}
