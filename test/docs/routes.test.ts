import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { committedOpenApi, operationsOf } from '../contract/openapi.ts'
import { contractRoutes } from './generated/contract-routes.ts'
import { ROOT, readPage } from './markdown.ts'

const pathOf = (test: string): string => `${ROOT}test/e2e/${test}.e2e.test.ts`

/** A test, and what of `support/` it imports. */
const textOf = (test: string): string => {
  const own = readFileSync(pathOf(test), 'utf8')
  const imported = [...own.matchAll(/from '(\.\/support\/[\w-]+\.ts)'/g)].map(([, path]) => readFileSync(`${ROOT}test/e2e/${path}`, 'utf8'))
  return [own, ...imported].join('\n')
}

/** The path as a test writes it: without the prefix, and something in place of a parameter. */
const written = (path: string): RegExp =>
  new RegExp(
    `${path
      .replace('/api/v1', '')
      .replaceAll('.', '\\.')
      .replaceAll(/\{\w+\}/g, '[^/\\s]+')}(?![\\w/-])`,
  )

it('has every route of the contract once', () => {
  const listed = new Set(contractRoutes.map(([method, path]) => `${method} ${path.replace('/api/v1', '')}`))
  expect(listed.size).toBe(contractRoutes.length)
  const page = readPage('docs/reference/public-api.md')
  const named = [...page.matchAll(/\b(GET|POST|PUT|PATCH|DELETE)`?(?: \| | )`?(\/[\w/{}.-]+)/g)].map(
    ([, method, path]) => `${method} ${path}`,
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((route) => !listed.has(route))).toEqual([])
})

it('every built route under /api/v1 is in the OpenAPI document, and no other', () => {
  const documented = new Set(operationsOf(committedOpenApi()).map(({ name }) => name))
  const wrong = contractRoutes.filter(
    ([method, path, test]) => path.startsWith('/api/v1') && documented.has(`${method} ${path}`) !== (test !== null),
  )
  expect(wrong).toEqual([])
})

it.each(contractRoutes.filter(([, , test]) => test !== null))('%s %s is driven by %s', (_method, path, test) => {
  expect(existsSync(pathOf(test ?? ''))).toBe(true)
  expect(textOf(test ?? '')).toMatch(written(path))
})
