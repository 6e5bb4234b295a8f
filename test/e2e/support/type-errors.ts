import ts from 'typescript'

/** What the compiler says, with the settings of this tree, about a file of that path, which need not be there. */
export function typeErrorsOf(root: string, path: string, text: string): readonly string[] {
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(`${root}/tsconfig.base.json`, ts.sys.readFile).config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (file) => file === path || fileExists(file)
  host.readFile = (file) => (file === path ? text : readFile(file))
  host.getSourceFile = (file, ...rest) =>
    file === path ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2024) : getSourceFile(file, ...rest)
  const program = ts.createProgram([path], options, host)
  const messages = ts.getPreEmitDiagnostics(program, program.getSourceFile(path))
  return messages.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
