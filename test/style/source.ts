import ts from 'typescript'

/** The syntax of one file; no types. */
export function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone })
}

/** The line of a node, counted from 1. */
export function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
}

/** Calls `visit` with every name that the file writes, as often as it writes it. */
export function forEachIdentifier(source: ts.SourceFile, visit: (name: string, line: number) => void): void {
  const walk = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) visit(node.text, lineOf(source, node))
    ts.forEachChild(node, walk)
  }
  walk(source)
}
