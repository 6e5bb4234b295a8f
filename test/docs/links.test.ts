import { existsSync } from 'node:fs'
import { dirname, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { anchorsOf, markdownFiles, ROOT, readPage, relativeLinks } from './markdown.ts'

/** Why a link leads nowhere; undefined for one that resolves. */
const brokenBecause = (page: string, link: string): string | undefined => {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : normalize(`${dirname(page)}/${decodeURIComponent(path)}`)
  if (target.startsWith('..')) return 'leaves the repository'
  if (!existsSync(`${ROOT}${target}`)) return 'is not there'
  if (anchor === undefined || !target.endsWith('.md')) return undefined
  return anchorsOf(readPage(target)).has(anchor) ? undefined : 'has no such heading'
}

it('every relative link of every page leads to a file, and its anchor to a heading', () => {
  const pages = markdownFiles()
  expect(pages).toContain('README.md')
  const broken = pages.flatMap((page) =>
    relativeLinks(readPage(page)).flatMap((link) => {
      const why = brokenBecause(page, link)
      return why === undefined ? [] : [`${page}: ${link} ${why}`]
    }),
  )
  expect(broken).toEqual([])
})

it('a link to nowhere is noticed, and one in code is not taken for a link', () => {
  const [good, away, anchor] = relativeLinks(
    '[a](../README.md) `[b](c.md)` [d](gone.md) [e](https://x.example) [f](README.md#no-such-thing)',
  )
  expect([good, away, anchor].map((link) => brokenBecause('docs/README.md', link ?? ''))).toEqual([
    undefined,
    'is not there',
    'has no such heading',
  ])
})
