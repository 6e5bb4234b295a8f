import { globSync, readFileSync } from 'node:fs'
import { ROOT, table } from '../markdown.ts'

const SOURCES = ['packages/*/src/**/*.ts', 'projectors/src/**/*.ts', 'consumers/src/**/*.ts', 'command-api/src/**/*.ts']
const DECLARED = /\b(?:counter|gauge|histogram|observe|Counter|Gauge)\(\s*\{\s*name: '(\w+)',\s*help:\s*'([^']*)'/g

const files = (): readonly string[] => globSync(SOURCES, { cwd: ROOT }).filter((file) => !/\.(test|testing|fixture)\.ts$/.test(file))

/** Every metric with what its own help text says. */
export function metrics(): string {
  const rows = files()
    .toSorted()
    .flatMap((file) => [...readFileSync(`${ROOT}${file}`, 'utf8').matchAll(DECLARED)].map(([, name, help]) => [`\`${name}\``, help ?? '']))
  return table(['metric', 'is'], rows)
}
