import '@mantine/core/styles.css'
import './theme/tokens.css'
import { DirectionProvider, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { watchPresence } from './api/polling.ts'
import { createQueryClient } from './app/query-client.ts'
import { createRouter } from './routes.tsx'
import { resolver, theme } from './theme/mantine.ts'
import { ZoneProvider } from './ui/zone.tsx'
import { WordsProvider } from './words/words.tsx'

// The page's policy takes no style element without it.
const nonce = document.querySelector<HTMLMetaElement>('meta[name=nonce]')?.content ?? ''
setNonce(nonce)
watchPresence(window)

const router = createRouter()

/** A part that this page names was replaced by a newer build: the screen that it is of is loaded anew, once. It may be one that somebody was going to. */
const RELOADED = 'tidings-reloaded'
window.addEventListener('vite:preloadError', (event) => {
  const { pathname, search, hash } = router.state.navigation.location ?? location
  const path = pathname + search
  if (sessionStorage.getItem(RELOADED) === path) return
  event.preventDefault()
  sessionStorage.setItem(RELOADED, path)
  // What stands behind `#`, as the token of a link does, goes along; the address of this very page would only be scrolled to.
  if (path === location.pathname + location.search) location.reload()
  else location.assign(path + hash)
})

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the dashboard')
createRoot(root).render(
  <DirectionProvider>
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <WordsProvider>
        <ZoneProvider>
          <QueryClientProvider client={createQueryClient()}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </ZoneProvider>
      </WordsProvider>
    </MantineProvider>
  </DirectionProvider>,
)
