import ts from 'typescript'

/** What makes a cache, beside a collection that outlives a call. */
const CONSTRUCTORS = new Set([
  'LRUCache',
  'createFollowedStates',
  'createGenerations',
  'createKeyCache',
  'createMemo',
  'createReferenceCache',
  'createRefreshedRows',
  'remembered',
  'sharedRead',
  'weakMemo',
])
const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet'])
const WRITES = new Set(['set', 'add', 'memo', 'delete', 'clear'])

type NamedCache = Readonly<{ name: string; scope: ts.Node; inClass: boolean }>

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isFunctionExpression(node) ||
  ts.isArrowFunction(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isConstructorDeclaration(node)

const isAssignment = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken

/** The name of what a call or `new` makes, as `new LRUCache<K, V>(…)`. */
const madeBy = (node: ts.Node): string | null =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) && ts.isIdentifier(node.expression) ? node.expression.text : null

/** What the value is bound to: a variable, a member of a class, a parameter's default, or nothing that has a name. */
const boundTo = (path: readonly ts.Node[], owner: string): NamedCache => {
  for (let at = path.length - 1; at >= 0; at--) {
    const node = path[at]!
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name))
      return { name: node.name.text, scope: scopeOf(path.slice(0, at)), inClass: false }
    if (ts.isPropertyDeclaration(node)) return { name: node.name.getText(), scope: path[at - 1]!, inClass: true }
    if (isAssignment(node) && ts.isPropertyAccessExpression(node.left)) return { name: node.left.name.text, scope: path[0]!, inClass: true }
    if (isFunction(node)) break
  }
  return { name: owner, scope: scopeOf(path), inClass: false }
}

const scopeOf = (path: readonly ts.Node[]): ts.Node => path.findLast(isFunction) ?? path[0]!

const ownerOf = (path: readonly ts.Node[]): string => {
  for (const node of path.toReversed()) {
    if (ts.isFunctionDeclaration(node) && node.name) return node.name.text
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) return node.name.text
    if (ts.isClassDeclaration(node) && node.name) return node.name.text
  }
  return 'module'
}

/** Whether a function within `scope`, and not `scope` itself while it runs, writes to the collection of this name. */
const isWrittenLater = (scope: ts.Node, name: string): boolean => {
  let found = false
  const walk = (node: ts.Node, inner: boolean): void => {
    if (found) return
    const isWrite = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && WRITES.has(node.expression.name.text)
    if (isWrite && inner && node.expression.expression.getText().split('.').at(-1) === name) found = true
    // A callback that is passed on the spot, as to `forEach`, is run by the call.
    const isCallback = isFunction(node) && ts.isCallExpression(node.parent) && node.parent.expression !== node
    ts.forEachChild(node, (child) => walk(child, inner || (isFunction(node) && node !== scope && !isCallback)))
  }
  walk(scope, ts.isSourceFile(scope))
  return found
}

/** A collection of the module that nothing is in yet, and that is not declared to stay so, is filled later, by whatever it is passed to. */
const isEmptyOfModule = (node: ts.Node, path: readonly ts.Node[]): boolean => {
  const declaration = path.at(-1)
  const isBare = declaration !== undefined && ts.isVariableDeclaration(declaration) && declaration.type === undefined
  return isBare && ts.isSourceFile(scopeOf(path)) && ts.isNewExpression(node) && (node.arguments?.length ?? 0) === 0
}

/** The caches that a file makes, each as `file: name`: what remembers something from one call to the next. */
export function findCaches(file: string, text: string): readonly string[] {
  if (
    !/LRUCache|new (Weak)?(Map|Set)\b|createFollowedStates|createGenerations|createKeyCache|createMemo|createReference|createRefreshed|remembered|share[dF]|weakMemo/.test(
      text,
    )
  )
    return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = new Set<string>()
  const walk = (node: ts.Node, path: readonly ts.Node[]): void => {
    const made = madeBy(node)
    if (made !== null && (CONSTRUCTORS.has(made) || COLLECTIONS.has(made))) {
      const { name, scope, inClass } = boundTo(path, ownerOf(path))
      if (CONSTRUCTORS.has(made) || inClass || isEmptyOfModule(node, path) || isWrittenLater(scope, name)) found.add(`${file}: ${name}`)
    }
    ts.forEachChild(node, (child) => walk(child, [...path, node]))
  }
  walk(source, [])
  return [...found]
}
