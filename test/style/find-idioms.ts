import ts from 'typescript'
import type { Finding } from './find-words.ts'
import { lineOf, parse } from './source.ts'

const isExported = (node: ts.VariableStatement): boolean =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false

/** An exported arrow whose type is not named: a declaration says the same, and looks like every other. */
const exportedArrows = (statement: ts.Statement): ts.Node[] => {
  if (!ts.isVariableStatement(statement) || !isExported(statement)) return []
  return statement.declarationList.declarations.filter(
    ({ initializer, type }) => type === undefined && initializer !== undefined && ts.isArrowFunction(initializer),
  )
}

const privateKeywords = (node: ts.Node): ts.Node[] => {
  if (!ts.isClassElement(node) || ts.isConstructorDeclaration(node) || !ts.canHaveModifiers(node)) return []
  return (node.modifiers ?? []).filter(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
}

/** Where a TypeScript file leaves the one idiom: `export function f`, or a const with a named function type; `#x`, not `private x`. */
export function findIdioms(file: string, text: string): Finding[] {
  const source = parse(file, text)
  const found: Finding[] = []
  const report = (nodes: readonly ts.Node[], message: string) =>
    found.push(...nodes.map((node) => ({ file, line: lineOf(source, node), message })))
  for (const statement of source.statements) {
    report(exportedArrows(statement), 'an exported function is a declaration: export function f(…), or a const with a named function type')
  }
  const walk = (node: ts.Node): void => {
    report(privateKeywords(node), 'a private member is #x')
    ts.forEachChild(node, walk)
  }
  if (/\bprivate\b/.test(text)) walk(source)
  return found
}
