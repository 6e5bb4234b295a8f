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

/** Words that say nothing of a thing where they are all of its name: a reader of a use has to open the file. */
const VAGUE = new Set(
  `Of Parts Wanted Asked Asking Place Found Row Options Outcome Kept Seen State Known Said Shown Taken Given Named Made Happened Whose Which What
   At From To Into For Until Since After Around Aside Away Next First Last Here More Some Several Together Left Way`.split(/\s+/),
)
/** A type parameter may say what a value is of its kind: the `Row` of a table, the `Options` of a plugin. */
const OF_A_KIND = new Set(['Row', 'Options', 'Outcome', 'State'])

/** What declares a type under a name of this file: a type, an interface, a class, a parameter, an import. */
const declaresVagueType = (node: ts.Node): boolean => {
  if (ts.isTypeParameterDeclaration(node)) return VAGUE.has(node.name.text) && !OF_A_KIND.has(node.name.text)
  const isType =
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isClassLike(node) ||
    ts.isImportSpecifier(node) ||
    ts.isEnumDeclaration(node)
  return isType && node.name !== undefined && VAGUE.has(node.name.text)
}

/** The properties that an object literal names itself. */
const namesOf = (node: ts.ObjectLiteralExpression): string[] =>
  node.properties.flatMap(({ name }) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : []))

/** The options of an LRU cache whose clock stands still for a millisecond: a test that moves the clock would depend on how fast it is. */
const hasCoarseClock = (node: ts.Node): boolean => {
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression) || node.expression.text !== 'LRUCache') return false
  const names = [...(node.arguments ?? [])].filter(ts.isObjectLiteralExpression).flatMap(namesOf)
  return names.includes('ttl') && !names.includes('ttlResolution')
}

/** Where a TypeScript file leaves the one idiom: `export function f`, or a const with a named function type; `#x`, not `private x`; a type has its noun. */
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
    if (hasCoarseClock(node)) report([node], 'an LRU cache with a `ttl` has `ttlResolution: 0`')
    if (declaresVagueType(node)) report([node], 'a type has its noun: CampaignRow, StreamPosition, RenderRequest')
    ts.forEachChild(node, walk)
  }
  walk(source)
  return found
}
