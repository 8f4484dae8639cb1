// The entry point of the dashboard.
import './theme.css';
import { render } from 'preact';
import { App } from './App.tsx';
import { startClock } from './live/clock.ts';
import { connect } from './live/live.ts';
import { startRouting } from './route.ts';
import { startTheme } from './ThemeButton.tsx';

startTheme();
startRouting();
startClock();
connect();
const app = document.getElementById('app');
if (app) render(<App />, app);
