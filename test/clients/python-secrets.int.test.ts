import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ROOT } from '../docs/markdown.ts'
import { hasPython, PYTHON } from './python-driver.ts'

const program = `
from tidings import Tidings
from tidings._request import Call
client = Tidings("http://localhost", workspace="demo", key="the-key")
call = Call(client._settings, "POST", "/x", body={"code": "the-code"}, headers={"X-Connector-Secret": "the-secret"}, takes_key=True)
print(client, vars(client), call)
`

test.runIf(hasPython)('what an error report shows of the variables of a call has no secret', () => {
  const shown = execFileSync(PYTHON, ['-c', program], {
    env: { ...process.env, PYTHONPATH: `${ROOT}clients/python/src`, PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
  })
  expect(shown).toContain("workspace='demo'")
  expect(shown).not.toMatch(/the-(key|code|secret)/)
})
