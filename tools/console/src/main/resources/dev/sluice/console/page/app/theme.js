// Before the first paint, so that a dark page does not flash white.
(function () {
  try {
    var chosen = localStorage.getItem('sluice.theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  } catch (e) {
    // no storage: the system's choice it is
  }
})();
