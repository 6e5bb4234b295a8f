import { readFileSync } from 'node:fs'

/**
 * Files as one classic script, without what only readers of the source need: imports and exports among the files, comments on lines of
 * their own, the blanks in front and around operators (no text of these files has such), and line breaks within a list or a block, where no
 * statement can end.
 */
export function scriptOf(files: readonly URL[]): string {
  return files
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .map((line) => line.trim().replace(/^export /, ''))
    .filter((line) => line !== '' && !/^(\/\/|\/\*\*|import )/.test(line))
    .join('\n')
    .replaceAll(/(?<=[,{([])\n|,?\n(?=[}\])])/g, '')
    .replaceAll(/ (=>|===|&&|\|\||\?\?|\?) /g, '$1')
}
