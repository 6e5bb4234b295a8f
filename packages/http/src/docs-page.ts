/** A reader for `/openapi.json` in one page: no build, no CDN, nothing loaded from elsewhere. */
export const docsPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tidings API</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1c2330 }
  summary { cursor: pointer; padding: .4rem 0; font-family: ui-monospace, monospace }
  summary b { display: inline-block; width: 4.5rem }
  details { border-bottom: 1px solid #dde2ea }
  pre { background: #f5f7fa; padding: .8rem; overflow: auto; font-size: 13px }
  h3 { font-size: .9rem; margin: .6rem 0 .2rem }
</style>
<h1>Tidings API</h1>
<p id="about"></p>
<main></main>
<script>
  const add = (parent, name, text) => {
    const element = document.createElement(name)
    if (text !== undefined) element.textContent = text
    return parent.appendChild(element)
  }
  const part = (parent, title, value) => {
    if (value === undefined) return
    add(parent, 'h3', title)
    add(parent, 'pre', JSON.stringify(value, null, 2))
  }
  const show = (api) => {
    document.getElementById('about').textContent = api.info.description + ' Version ' + api.info.version + '. Machine-readable: /openapi.json'
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const details = add(document.querySelector('main'), 'details')
        const summary = add(details, 'summary')
        add(summary, 'b', method.toUpperCase())
        summary.append(path)
        if (operation.summary) add(details, 'p', operation.summary)
        part(details, 'Parameters', operation.parameters)
        part(details, 'Body', operation.requestBody?.content?.['application/json']?.schema)
        for (const [status, answer] of Object.entries(operation.responses ?? {})) {
          part(details, status + ' ' + answer.description, answer.content?.['application/json']?.schema)
        }
      }
    }
  }
  fetch('openapi.json').then((answer) => answer.json()).then(show)
</script>
</html>
`
