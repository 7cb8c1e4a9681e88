# check_markup.awk: fails unless every tag of an HTML or SVG file is closed, in order, and nothing is fetched from elsewhere.
{ text = text $0 "\n" }
function complain(what) {
    print FILENAME ": " what
    bad = 1
    exit 1
}
END {
    if (bad) exit 1
    n_links = gsub(/xmlns(:xlink)?="http:\/\/www\.w3\.org\/[0-9]+\/(svg|xlink)"/, "", text)
    if (text ~ /https?:|url\(|@import|[ \n]src=|<script|<link|<iframe|="\/\//) complain("it names something outside of it")
    for (n_open = n_tags = 0; match(text, /<[^>]*>/); n_tags++) {
        tag = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        if (tag ~ /^[?!]/ || tag ~ /\/$/) continue
        name = tag
        sub(/^\//, "", name)
        sub(/[ \t\n].*/, "", name)
        if (tag !~ /^\//) open[++n_open] = name
        else if (!n_open || open[n_open--] != name) complain("</" name "> closes nothing")
    }
    if (n_open) complain("<" open[n_open] "> is not closed")
    if (!n_tags) complain("no tags")
    if (text ~ /</) complain("a < without its >")
}
