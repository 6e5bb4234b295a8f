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

/** A part that this page names was replaced by a newer build: the page is loaded again, once. */
const RELOADED = 'tidings-reloaded'
window.addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem(RELOADED) === location.href) return
  event.preventDefault()
  sessionStorage.setItem(RELOADED, location.href)
  location.reload()
})

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the dashboard')
createRoot(root).render(
  <DirectionProvider>
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <WordsProvider>
        <ZoneProvider>
          <QueryClientProvider client={createQueryClient()}>
            <RouterProvider router={createRouter()} />
          </QueryClientProvider>
        </ZoneProvider>
      </WordsProvider>
    </MantineProvider>
  </DirectionProvider>,
)
