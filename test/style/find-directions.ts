import ts from 'typescript'
import type { Finding } from './find-words.ts'
import { lineOf, parse } from './source.ts'

const SAY = 'say start or end (inline-start, inset-inline-end, ms, pe): a page of the dashboard is mirrored in Hebrew'

/** A comment becomes as many empty lines, so that those after it keep their numbers. */
const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '))

const DECLARATION = /(?<=[{;]|^)\s*([\w-]+)\s*:([^;{}]*)(?=[;}])/gm

/** Four sizes in a row go around the box by left and right: the second is that of the fourth, or the direction counts. */
const isLopsided = (property: string, value: string): boolean => {
  const sizes = value.trim().split(/\s+/)
  return (
    /^(margin|padding|inset|border-width|border-style|border-color|scroll-margin|scroll-padding)$/.test(property) &&
    sizes.length === 4 &&
    sizes[1] !== sizes[3]
  )
}

/** Style sheets of the dashboard that name left or right. */
function inStyles(file: string, text: string): Finding[] {
  const plain = withoutComments(text)
  return [...plain.matchAll(DECLARATION)]
    .filter(
      ([, property = '', value = '']) =>
        /(^|-)(left|right)(-|$)/.test(property) || /(^|[\s,(])(left|right)($|[\s,)])/.test(value) || isLopsided(property, value),
    )
    .map(({ 0: declaration, 1: property = '', index }) => ({
      file,
      line: plain.slice(0, index + declaration.indexOf(property)).split('\n').length,
      message: SAY,
    }))
}

/** Props of Mantine and of styles that mean one side of the screen; `leftSection` is the start in both directions. */
const PHYSICAL =
  /^(left|right|m[lr]|p[lr]|(margin|padding|border|scrollMargin|scrollPadding)(Left|Right)\w*|border(Top|Bottom)(Left|Right)Radius)$/
const isSide = (node: ts.Node | undefined): boolean =>
  node !== undefined && ts.isStringLiteral(node) && /^(left|right)(-|$)/.test(node.text)

const nameOf = (node: ts.JsxAttribute | ts.PropertyAssignment | ts.ShorthandPropertyAssignment): string =>
  ts.isIdentifier(node.name) || ts.isStringLiteral(node.name) ? node.name.text : ''

const isPhysical = (node: ts.Node): boolean => {
  if (ts.isJsxAttribute(node)) {
    const value = node.initializer !== undefined && ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer
    return PHYSICAL.test(nameOf(node)) || isSide(value)
  }
  if (ts.isPropertyAssignment(node)) return PHYSICAL.test(nameOf(node)) || isSide(node.initializer)
  return ts.isShorthandPropertyAssignment(node) && PHYSICAL.test(nameOf(node))
}

/** Components that name left or right. A chart is never mirrored, and the library that draws it counts from the left. */
function inComponents(file: string, text: string): Finding[] {
  if (/from '@visx\//.test(text)) return []
  const source = parse(file, text)
  const found: Finding[] = []
  const walk = (node: ts.Node): void => {
    if (isPhysical(node)) found.push({ file, line: lineOf(source, node), message: SAY })
    ts.forEachChild(node, walk)
  }
  walk(source)
  return found
}

/** Where a page of the dashboard names a side of the screen, which is the other one from right to left. */
export function findDirections(file: string, text: string): Finding[] {
  if (!file.startsWith('dashboard/src/')) return []
  if (file.endsWith('.css')) return inStyles(file, text)
  return file.endsWith('.tsx') ? inComponents(file, text) : []
}
