import ts from 'typescript'

/** The fields by which a verdict or a row says when something is looked at again. */
const WHEN = new Set(['inMs', 'dueAt'])

/** The function or constant of the module, or the method of its class, that the node is in. */
const ownerOf = (node: ts.Node): string => {
  let owner = 'module'
  for (let at: ts.Node = node; at.parent !== undefined; at = at.parent) owner = nameOf(at) ?? owner
  return owner
}

const nameOf = (node: ts.Node): string | undefined => {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.name?.getText()
  return ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent) ? node.name.getText() : undefined
}

const saysWhen = (property: ts.ObjectLiteralElementLike): boolean =>
  (ts.isPropertyAssignment(property) || ts.isShorthandPropertyAssignment(property)) && WHEN.has(property.name.getText())

const isAside = (property: ts.ObjectLiteralElementLike): boolean =>
  ts.isPropertyAssignment(property) && property.name.getText() === 'isAside' && property.initializer.kind === ts.SyntaxKind.TrueKeyword

export type FoundWait = Readonly<{ place: string; isAside: boolean }>

/** The places at which a file puts something off, each as `file: name`; `isAside`: whether one of them lets what is behind it go first. */
export function findWaits(file: string, text: string): readonly FoundWait[] {
  if (!/inMs|dueAt/.test(text)) return []
  const found = new Map<string, boolean>()
  const walk = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node) && node.properties.some(saysWhen)) {
      const place = `${file}: ${ownerOf(node)}`
      found.set(place, (found.get(place) ?? false) || node.properties.some(isAside))
    }
    ts.forEachChild(node, walk)
  }
  walk(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return [...found].map(([place, aside]) => ({ place, isAside: aside }))
}
