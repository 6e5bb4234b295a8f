import { createMemoryRouter, type DataRouteObject } from 'react-router'
import { expect, it } from 'vitest'
import { paths } from '../src/paths.ts'
import { createRouter } from '../src/routes.tsx'

const builders: Readonly<Record<string, (...parts: string[]) => string>> = paths

/** The addresses that show a screen of their own; a parameter is its place alone. */
function addressesOf(routes: readonly DataRouteObject[], parent = ''): readonly string[] {
  return routes.flatMap(({ path, children }) => {
    const here = path?.startsWith('/') ? path : path === undefined ? parent : `${parent}/${path}`
    return children ? addressesOf(children, here) : [here.replaceAll(/:\w+/g, ':')]
  })
}

it('has a route for each path that a screen links to, and a path for each route', () => {
  const routed = addressesOf(createRouter(createMemoryRouter).routes).filter((address) => !address.endsWith('*'))
  const built = Object.values(builders).map((build) => {
    const address = decodeURIComponent(build(':', ':', ':'))
    return address.split('?')[0]
  })
  // The mailbox is at the address of the outbox as well, for a browser.
  expect([...routed].toSorted()).toEqual([...new Set([...built, '/dev/outbox'])].toSorted())
})
