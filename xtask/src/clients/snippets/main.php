<?php
require 'snippet.php';

foreach (explode("\n", rtrim(stream_get_contents(STDIN), "\n")) as $line) {
    [$id, $timestamp, $signatures, $tolerance, $secrets, $body] = explode("\t", $line);
    $valid = is_valid($body, $id, $timestamp, $signatures, explode(',', $secrets), (int) $tolerance);
    echo $valid ? "valid\n" : "invalid\n";
}
