// A stack trace of a bundle names the lines of the sources. Node does that too, but reads the map of each module when it loads it:
// a tenth of the CPU of a short command, in which nothing fails. Here a map is read when the first trace meets its module.
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Makes every stack trace name the sources of what lies in the folder of `program`, where a module has a map beside it. */
export function nameSourceLines(program) {
  const folder = pathToFileURL(`${dirname(program)}/`).href
  const maps = new Map()

  const mapOf = (module) => {
    if (!maps.has(module)) {
      const file = `${fileURLToPath(module)}.map`
      maps.set(module, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null)
    }
    return maps.get(module)
  }

  const lineOf = (site) => {
    const text = String(site)
    const module = site.getFileName()
    if (!module?.startsWith(folder)) return text
    const [line, column] = [site.getLineNumber(), site.getColumnNumber()]
    const { fileName, lineNumber, columnNumber } = mapOf(module)?.findOrigin(line, column) ?? {}
    if (fileName === undefined) return text
    return text.replace(`${module}:${line}:${column}`, () => `${join(fileURLToPath(folder), fileName)}:${lineNumber}:${columnNumber}`)
  }

  const withSources = Error.prepareStackTrace
  Error.prepareStackTrace = (error, trace) => {
    try {
      return [Error.prototype.toString.call(error), ...trace.map(lineOf)].join('\n    at ')
    } catch {
      return withSources?.(error, trace) ?? trace.join('\n    at ')
    }
  }
}
