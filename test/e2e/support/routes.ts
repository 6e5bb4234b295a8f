type Operation = Readonly<{ security?: readonly Readonly<Record<string, unknown>>[] }>

/** The routes that the running service documents with this as the first way to authenticate, `GET /public/me` for one, sorted. */
export async function routesSecuredBy(url: string, scheme: 'key' | 'session'): Promise<readonly string[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, Record<string, Operation>> }
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security = [] }]) =>
      scheme in (security[0] ?? {}) ? [`${method.toUpperCase()} ${path.replace('/api/v1', '')}`] : [],
    ),
  )
  return routes.sort()
}
